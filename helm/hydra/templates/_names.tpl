{{- define "hydra.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "hydra.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "hydra.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "hydra.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The suffix must survive the 63-character limit, or both Services would get one name. */}}
{{- define "hydra.headlessName" -}}
{{- printf "%s-headless" (include "hydra.fullname" . | trunc 54 | trimSuffix "-") -}}
{{- end -}}

{{- define "hydra.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "hydra.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "hydra.selectorLabels" -}}
app.kubernetes.io/name: {{ include "hydra.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hydra.labels" -}}
{{ include "hydra.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: server
app.kubernetes.io/part-of: hydra
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "hydra.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Drain times in whole seconds, rounded up, plus the margin. */}}
{{- define "hydra.gracePeriodSeconds" -}}
{{- $drain := default dict .Values.config.drain -}}
{{- $ms := addf (default 5000 $drain.delay_ms) (default 20000 $drain.grace_ms) -}}
{{- add (ceil (divf $ms 1000)) .Values.terminationMarginSeconds -}}
{{- end -}}

{{/* Refuses values that would render but not work. */}}
{{- define "hydra.validate" -}}
{{- if not .Values.bundle.volume -}}
{{- fail "bundle.volume: got nothing, want a volume source that holds the bundle, such as persistentVolumeClaim.claimName" -}}
{{- end -}}
{{- if gt (int .Values.replicaCount) 1 -}}
{{- if eq .Values.policyStore.kind "file" -}}
{{- fail (printf "policyStore.kind: got file with replicaCount %d, want readOnly or one replica: every replica would keep thresholds of its own" (int .Values.replicaCount)) -}}
{{- end -}}
{{- if .Values.adminToken.existingSecret -}}
{{- fail (printf "adminToken.existingSecret: got %s with replicaCount %d, want none or one replica: a change would reach one replica only" .Values.adminToken.existingSecret (int .Values.replicaCount)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
