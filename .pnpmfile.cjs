/** Only the bundle for browsers is served, which contains what it needs. */
const isBundle = ({ name }) => name === '@scalar/api-reference'

module.exports = {
  hooks: { readPackage: (manifest) => (isBundle(manifest) ? { ...manifest, dependencies: {} } : manifest) },
}
