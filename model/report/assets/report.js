// Draws the plots of a report from the JSON in #report-data, in the reader's colour scheme.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const palette = () => [1, 2, 3, 4, 5, 6].map((i) => colour(`--series-${i}`));

  function config() {
    const text = {
      labelColor: colour("--muted"), titleColor: colour("--ink"),
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal",
    };
    return {
      background: "transparent",
      font: "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
      view: { stroke: null },
      axis: { ...text, gridColor: colour("--line"), domainColor: colour("--muted"),
              tickColor: colour("--line"), titlePadding: 8 },
      legend: { ...text, symbolStrokeWidth: 2, labelLimit: 320 },
      header: { ...text, labelColor: colour("--ink"), labelFontSize: 13 },
      title: { color: colour("--ink"), fontSize: 13, fontWeight: 600, anchor: "start" },
      range: { category: palette() },
      rule: { color: colour("--muted") },
    };
  }

  const percent = (field, title, extra = {}) => ({
    field, type: "quantitative", title, axis: { format: ".0%", tickCount: 6, ...extra.axis },
    scale: { zero: true, ...extra.scale },
  });

  const legendAbove = { orient: "top", title: null, columns: 2, symbolType: "stroke" };

  function riskCoverage(points) {
    const x = percent("coverage", "Coverage: share of inputs answered", { scale: { domain: [0, 1] } });
    const y = percent("risk", "Risk: errors among the answered", { axis: { format: "~%" } });
    return {
      width: "container", height: 320, data: { values: points },
      layer: [
        {
          params: [{ name: "chosen", select: { type: "point", fields: ["series"] }, bind: "legend" }],
          mark: { type: "line", strokeWidth: 2, interpolate: "step-after" },
          encoding: {
            x, y, color: { field: "series", type: "nominal", sort: null, legend: legendAbove },
            opacity: { condition: { param: "chosen", value: 1 }, value: 0.15 },
          },
        },
        {
          mark: { type: "point", filled: true, size: 90, opacity: 0 },
          encoding: {
            x, y,
            tooltip: [
              { field: "series", title: "score" },
              { field: "threshold", title: "threshold", format: ".4g" },
              { field: "coverage", format: ".1%" }, { field: "risk", format: ".2%" },
            ],
          },
        },
      ],
    };
  }

  function reliabilityPanel(title, bins) {
    const tooltip = [
      { field: "confidence", title: "mean confidence", format: ".1%" },
      { field: "accuracy", format: ".1%" }, { field: "count", title: "rows", format: "," },
    ];
    const x = percent("low", null, { scale: { domain: [0, 1] } });
    return {
      title,
      vconcat: [
        {
          width: 390, height: 250,
          layer: [
            {
              data: { values: bins.filter((bin) => bin.count > 0) },
              mark: { type: "bar", color: colour("--series-1"), opacity: 0.75, binSpacing: 1 },
              encoding: { x: { ...x, bin: "binned" }, x2: { field: "high" },
                          y: percent("accuracy", "Accuracy", { scale: { domain: [0, 1] } }), tooltip },
            },
            {
              data: { values: bins.filter((bin) => bin.count > 0) },
              mark: { type: "tick", orient: "horizontal", color: colour("--series-2"), thickness: 3, size: 20 },
              encoding: { x: { field: "confidence", type: "quantitative" },
                          y: { field: "confidence", type: "quantitative" }, tooltip },
            },
            {
              data: { values: [{ from: 0, to: 1 }] },
              mark: { type: "rule", strokeDash: [4, 4] },
              encoding: { x: { field: "from", type: "quantitative" }, x2: { field: "to" },
                          y: { field: "from", type: "quantitative" }, y2: { field: "to" } },
            },
          ],
        },
        {
          width: 390, height: 60, data: { values: bins },
          mark: { type: "bar", color: colour("--muted"), opacity: 0.6, binSpacing: 1 },
          encoding: { x: { ...x, bin: "binned", title: "Confidence" }, x2: { field: "high" },
                      y: { field: "count", type: "quantitative", title: "Rows",
                           axis: { tickCount: 2, format: "~s" } }, tooltip },
        },
      ],
    };
  }

  const reliability = (panels) => ({
    hconcat: panels.map((panel) => reliabilityPanel(panel.title, panel.bins)), spacing: 40,
  });

  // A step outline needs the right edge of its last bin.
  const outline = (values) => values.flatMap((bin, i) => {
    const last = i + 1 === values.length || values[i + 1].group !== bin.group;
    return last ? [bin, { ...bin, low: bin.high }] : [bin];
  });

  function histogram(entry) {
    const x = { field: "low", type: "quantitative", title: null, scale: { zero: false, nice: false },
                axis: { tickCount: 5, format: "~g" } };
    const y = { ...percent("share", "Share of rows", { axis: { tickCount: 4 } }), stack: null };
    const color = { field: "group", type: "nominal", sort: null, legend: { orient: "top", title: null } };
    return {
      title: { text: entry.score, offset: 10 }, width: 390, height: 170,
      layer: [
        {
          data: { values: outline(entry.values) },
          mark: { type: "area", interpolate: "step-after", fillOpacity: 0.2,
                  line: { strokeWidth: 1.5, interpolate: "step-after" } },
          encoding: { x, y, color },
        },
        {
          data: { values: entry.values },
          mark: { type: "bar", opacity: 0 },
          encoding: {
            x: { ...x, bin: "binned" }, x2: { field: "high" }, y, color,
            tooltip: [
              { field: "group", title: "rows" }, { field: "low", title: "from", format: ".4g" },
              { field: "high", title: "to", format: ".4g" },
              { field: "share", title: "share", format: ".2%" },
            ],
          },
        },
      ],
    };
  }

  const histograms = (scores) => ({
    columns: 2, spacing: 30, concat: scores.map(histogram),
    resolve: { scale: { x: "independent", y: "independent", color: "shared" } },
  });

  function heads(map) {
    const cell = Math.max(8, Math.min(28, Math.floor(840 / (map.heads * Math.min(map.members, 4)))));
    const step = { step: cell };
    const place = {
      x: { field: "head", type: "ordinal", title: "Head", axis: { labelAngle: 0, ticks: false, domain: false } },
      y: { field: "layer", type: "ordinal", title: "Layer", axis: { ticks: false, domain: false } },
      tooltip: [
        { field: "member" }, { field: "layer" }, { field: "head" }, { field: "fate", title: "head is" },
        { field: "keptBy", title: "members that keep it" },
        ...(map.method ? [{ field: "importance", format: ".4g" }] : []),
      ],
    };
    const strength = map.method
      ? { field: "relative", type: "quantitative", title: `${map.method}, share of the layer's largest`,
          scale: { domain: [0, 1], range: [colour("--heat-low"), colour("--heat-high")] },
          legend: { orient: "bottom", gradientLength: 200, format: ".0%", titleLimit: 400 } }
      : { value: colour("--heat-high") };
    return {
      data: { values: map.cells },
      facet: { field: "member", type: "nominal", sort: null, title: null },
      columns: Math.min(map.members, 4),
      spec: {
        width: step, height: step,
        layer: [
          { transform: [{ filter: "datum.kept" }],
            mark: { type: "rect", cornerRadius: 2, stroke: colour("--card"), strokeWidth: 1.5 },
            encoding: { ...place, color: strength } },
          { transform: [{ filter: "!datum.kept" }],
            mark: { type: "text", text: "\u00d7", fontSize: Math.max(8, cell * 0.6),
                    color: colour("--muted"), opacity: 0.6 },
            encoding: place },
        ],
      },
    };
  }

  function certificate(table) {
    const values = table.cuts.flatMap((cut) => [
      { ...cut, line: "measured", value: cut.risk },
      { ...cut, line: `bound for all cuts, confidence ${1 - table.delta}`, value: cut.bound },
    ]);
    return {
      width: "container", height: 260, data: { values },
      mark: { type: "line", point: { size: 22, filled: true }, strokeWidth: 2 },
      encoding: {
        x: percent("coverage", "Coverage on the certify split", { scale: { domain: [0, 1] } }),
        y: percent("value", "Selective risk", { axis: { format: "~%" } }),
        color: { field: "line", type: "nominal", sort: null, legend: legendAbove },
        tooltip: [
          { field: "threshold", format: ".6g" }, { field: "coverage", format: ".1%" },
          { field: "accepted", format: "," }, { field: "errors", format: "," },
          { field: "risk", title: "measured risk", format: ".2%" },
          { field: "bound", title: "risk bound", format: ".2%" },
        ],
      },
    };
  }

  const makers = { riskCoverage, reliability, histograms, heads, certificate };

  async function draw(figure) {
    const index = figure.dataset.index;
    const content = data[figure.dataset.plot];
    const spec = makers[figure.dataset.plot](index === undefined ? content : content[Number(index)]);
    const canvas = figure.querySelector(".canvas");
    try {
      const embedded = await vegaEmbed(canvas, spec, {
        mode: "vega-lite", renderer: "svg", config: config(),
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      figure.dataset.state = "drawn";
      return embedded;
    } catch (error) {
      figure.dataset.state = "failed";
      canvas.textContent = `This plot could not be drawn: ${error.message}`;
      console.error(figure.dataset.plot, error);
      return null;
    }
  }

  async function drawAll() {
    for (const figure of document.querySelectorAll("figure[data-plot]")) {
      const previous = figure.embedded;
      figure.embedded = await draw(figure);
      if (previous) previous.finalize();
    }
    document.documentElement.dataset.plots = "done";
  }

  dark.addEventListener("change", drawAll);
  drawAll();
})();
