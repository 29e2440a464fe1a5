import openapiTS, { astToString } from 'openapi-typescript'

const header = '// Generated from content/openapi.json by npm run generate. Do not edit.\n'

/**
 * The types of what customers and operators send and get, as TypeScript source. Refusals are left out: the client throws
 * them as a Problem. So are the routes of carriers.
 */
export async function apiTypes({ paths, ...document }) {
  const { schemas, securitySchemes } = document.components
  const ast = await openapiTS(
    structuredClone({
      ...document,
      paths: withoutCarriers(paths),
      components: { schemas: withoutRecursion(schemas), securitySchemes },
    }),
    // A request may leave out a field that has a default.
    { defaultNonNullable: false },
  )
  return header + astToString(ast)
}

/** TypeScript cannot resolve a type that refers to itself by an index: any JSON value becomes `unknown`. */
const withoutRecursion = (schemas) => ({ ...schemas, JsonValue: {} })

function withoutCarriers(paths) {
  return mapEntries(paths, ([path, operations]) =>
    path.startsWith('/api/v1/callbacks/') ? [] : [[path, mapEntries(operations, withoutRefusals)]],
  )
}

function withoutRefusals([method, operation]) {
  const responses = mapEntries(operation.responses, ([status, { headers: _headers, ...response }]) =>
    status.startsWith('2') ? [[status, response]] : [],
  )
  return [[method, { ...operation, responses }]]
}

const mapEntries = (record, map) => Object.fromEntries(Object.entries(record).flatMap(map))
