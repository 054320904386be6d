{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The pods that serve requests: a Job of the release must not get any. */}}
{{- define "replica" -}}
{{ include "selector" . }}
app.kubernetes.io/component: service
{{- end }}

{{- /* What all pods have in common: who they are, and what they may do. */}}
{{- define "pod" -}}
automountServiceAccountToken: false
# Otherwise each Service of the namespace becomes a variable, some of them named like settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 16Mi }
  - name: secrets
    projected:
      defaultMode: 288 # 0440, for the group of fsGroup
      sources:
        {{- range $setting, $secret := .Values.secrets }}
        - secret:
            name: {{ $secret.name }}
            items: [{ key: {{ $secret.key | quote }}, path: {{ $setting }} }]
        {{- end }}
{{- with .Values.podSpec }}
{{- range $field := list "automountServiceAccountToken" "containers" "enableServiceLinks" "imagePullSecrets" "restartPolicy" "securityContext" "terminationGracePeriodSeconds" "topologySpreadConstraints" "volumes" }}
{{- if hasKey $.Values.podSpec $field }}
{{- fail (printf "podSpec.%s is set by the chart: remove it" $field) }}
{{- end }}
{{- end }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "container" -}}
image: {{ with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources:
  {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: secrets, mountPath: /run/secrets/animal-store, readOnly: true }
env:
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
  {{- end }}
  {{- range $name, $_ := .Values.secrets }}
  {{- if hasKey $.Values.settings $name }}
  {{- fail (printf "%s is in settings and in secrets: remove one" $name) }}
  {{- end }}
  - name: {{ $name }}_FILE
    value: /run/secrets/animal-store/{{ $name }}
  {{- end }}
{{- end }}
