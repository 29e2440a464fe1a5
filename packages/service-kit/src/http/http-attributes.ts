import type { Attributes } from '@opentelemetry/api'

const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'])

/** Attributes by OpenTelemetry's conventions for HTTP metrics; Prometheus writes `http_route` for `http.route`. */
export function httpAttributes(
  method: string | undefined,
  route: { path: string } | undefined,
  status: number,
): Attributes {
  return {
    'http.request.method': method && methods.has(method) ? method : '_OTHER',
    'http.response.status_code': status,
    ...(route && { 'http.route': route.path }),
  }
}
