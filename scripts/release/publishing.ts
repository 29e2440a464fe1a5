// The commands that leave the machine: images and chart to a registry, each signed by its digest.
import { consoleBom, releasedImages } from './artifacts.ts'

interface Publishing {
  version: string
  revision: string
  /** Host and path of the images. */
  registry: string
  /** With its digest: docker.io/library/node:24.21.0-slim@sha256:… */
  nodeImage: string
  /** Of the files. */
  folder: string
}

/** Commands for bash, in order. cosign signs without a key, as the workflow that runs it (Sigstore). */
export function publishingCommands({ version, revision, registry, nodeImage, folder }: Publishing): string[] {
  const images = releasedImages.flatMap((image) => {
    const name = `${registry}/${image}`
    const args = [`IMAGE=${image}`, `NODE_IMAGE=${nodeImage}`, `VERSION=${version}`, `REVISION=${revision}`]
    const digest = `"${name}@$(docker buildx imagetools inspect ${name}:${version} --format '{{ .Manifest.Digest }}')"`
    const boms = [
      ...(image === 'provision' ? [] : [`notify-${image}.cdx.json`]),
      ...(image === 'gateway' ? [consoleBom] : []),
    ]
    return [
      `docker buildx build -f infra/Dockerfile --platform linux/amd64,linux/arm64 --push ${args
        .map((arg) => `--build-arg ${arg}`)
        .join(' ')} --sbom=true --provenance=mode=max -t ${name}:${version} .`,
      `cosign sign --yes ${digest}`,
      ...boms.map((bom) => `cosign attest --yes --type cyclonedx --predicate ${folder}/${bom} ${digest}`),
    ]
  })
  const chart = `${registry.replace(/\/[^/]+$/, '')}/charts`
  const pushed = `$(helm push ${folder}/notify-${version}.tgz oci://${chart} 2>&1 | sed -n 's/^Digest: *//p')`
  return [
    ...images,
    `digest=${pushed} && cosign sign --yes "${chart}/notify@$digest" && cosign attest --yes --type cyclonedx --predicate ${folder}/chart.cdx.json "${chart}/notify@$digest"`,
    ...['SHA256SUMS', 'provenance.intoto.json'].map(
      (name) => `cosign sign-blob --yes --bundle ${folder}/${name}.sigstore.json ${folder}/${name}`,
    ),
    ...['notify-sdk', 'notify-inbox-client'].map(
      (name) => `npm publish --provenance --access public ${folder}/${name}-${version}.tgz`,
    ),
  ]
}
