{{- /* Every helper takes the root context, or a list that begins with it. */}}

{{- define "notify.chartLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* list root, image: the tag of one image, else of all, else the release. */}}
{{- define "notify.tag" -}}
{{- $root := index . 0 }}
{{- get $root.Values.image.tags (index . 1) | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end }}

{{- /* list root, image */}}
{{- define "notify.image" -}}
{{- $root := index . 0 }}
{{- $name := index . 1 }}
{{- $digest := get $root.Values.image.digests $name }}
{{- printf "%s/%s:%s" $root.Values.image.registry $name (include "notify.tag" .) }}{{ with $digest }}@{{ . }}{{ end }}
{{- end }}

{{- /* list root, image: what a Job's name has of its image, so that each release has a Job of its own. */}}
{{- define "notify.versionSuffix" -}}
{{- $digest := get (index . 0).Values.image.digests (index . 1) | trimPrefix "sha256:" | trunc 10 }}
{{- $digest | default (include "notify.tag" . | lower | replace "." "-" | replace "_" "-" | trunc 24 | trimSuffix "-") }}
{{- end }}

{{- /* list root, ConfigMap …: pods are replaced when one of these changes. */}}
{{- define "notify.checksum" -}}
{{- $root := index . 0 }}
{{- $data := dict }}
{{- range rest . }}{{- $_ := set $data . (get $root.Values.configMaps .) }}{{- end }}
{{- toJson $data | sha256sum }}
{{- end }}

{{- /* list root, service, ConfigMaps: their data as variables, without those that the service is given itself. The last one counts. */}}
{{- define "notify.configured" -}}
{{- $root := index . 0 }}
{{- $own := get $root.Values.services (index . 1) | dig "env" dict }}
{{- $data := dict }}
{{- range index . 2 }}
{{- range $name, $value := get $root.Values.configMaps . }}{{- $_ := set $data $name $value }}{{- end }}
{{- end }}
{{- range $name, $value := $data }}
{{- if not (hasKey $own $name) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* list root, service, names of variables that the template has itself */}}
{{- define "notify.extraVariables" -}}
{{- $root := index . 0 }}
{{- range $name, $value := get $root.Values.services (index . 1) | dig "env" dict }}
{{- if not (has $name (index $ 2)) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "notify.principalJwks" -}}
- name: PRINCIPAL_JWKS
{{- if .Values.principalJwks }}
  value: {{ .Values.principalJwks | quote }}
{{- else }}
  valueFrom:
    configMapKeyRef:
      name: principal-jwks
      key: PRINCIPAL_JWKS
{{- end }}
{{- end }}

{{- /* list root, variable, Secret */}}
{{- define "notify.secretVariable" -}}
{{- $variable := index . 1 }}
{{- $secret := index . 2 }}
{{- if eq (index . 0).Values.secrets.as "files" }}
- name: {{ $variable }}_FILE
  value: /run/secrets/notify/{{ $secret }}/{{ $variable }}
{{- else }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ $variable }}
{{- end }}
{{- end }}

{{- /* list root, service, user: a file of credentials, or user and password. */}}
{{- define "notify.natsLogin" -}}
{{- $root := index . 0 }}
{{- $service := index . 1 }}
{{- if eq $root.Values.nats.login "credentials" }}
- name: NATS_CREDS
  value: /run/secrets/notify/{{ $service }}/NATS_CREDS
{{- else }}
- name: NATS_USER
  value: {{ get (index $root.Values.services $service "env") "NATS_USER" | default (index . 2) | quote }}
{{- include "notify.secretVariable" (list $root "NATS_PASSWORD" $service) }}
{{- end }}
{{- end }}

{{- /* Whether pods need their Secrets as files. */}}
{{- define "notify.mountsSecrets" -}}
{{- if or (eq .Values.secrets.as "files") (eq .Values.nats.login "credentials") }}true{{ end }}
{{- end }}

{{- /* list root, Secrets */}}
{{- define "notify.secretMounts" -}}
{{- if include "notify.mountsSecrets" (index . 0) }}
{{- range index . 1 }}
- name: secret-{{ . }}
  mountPath: /run/secrets/notify/{{ . }}
  readOnly: true
{{- end }}
{{- end }}
{{- with (index . 0).Values.pods.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* list root, Secrets */}}
{{- define "notify.secretVolumes" -}}
{{- if include "notify.mountsSecrets" (index . 0) }}
{{- range index . 1 }}
- name: secret-{{ . }}
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}
{{- with (index . 0).Values.pods.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "notify.podSettings" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.pods.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.pods.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with .Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* list root, process: a schema cannot compare two values. */}}
{{- define "notify.maxReplicas" -}}
{{- $scaling := (get (index . 0).Values.processes (index . 1)).scaling }}
{{- if gt (int $scaling.min) (int $scaling.max) }}
{{- fail (printf "processes.%s.scaling: min (%d) is more than max (%d)" (index . 1) (int $scaling.min) (int $scaling.max)) }}
{{- end }}
{{- int $scaling.max }}
{{- end }}

{{- /* The namespace of the controller's pods: where most installations have it, unless named. */}}
{{- define "notify.ingressNamespace" -}}
{{- $usual := dict "ingress" "ingress" "ingress-nginx" "ingress-nginx" "gateway-api" .Values.ingress.gateway.namespace }}
{{- .Values.ingress.namespace | default (get $usual .Values.ingress.by) }}
{{- end }}
