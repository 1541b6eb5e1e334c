// report_sample OUT: writes the sample page to OUT.
#include <iostream>

#include "model/base/file.h"
#include "model/report/report.h"
#include "tests/e2e/report/sample_data.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: report_sample OUT\n";
    return 2;
  }
  const auto page = hydra::report::RenderReport(hydra::report::SampleData());
  const absl::Status written =
      page.ok() ? hydra::base::WriteFileAtomically(argv[1], *page) : page.status();
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() ? 0 : 1;
}
