import { expect, test } from '@jest/globals'
import { apiKey, carrier, defineRoute, type Route } from '@notify/contracts'
import { route } from '@notify/service-kit'
import { forwardRoutes } from './forward-routes.ts'

const parcel = (name: string, changes: Partial<Route> = {}): Route =>
  defineRoute<Route>({
    name,
    service: 'consent',
    method: 'GET',
    path: `/api/v1/${name}`,
    summary: name,
    auth: apiKey('notifications:read'),
    responses: {},
    errors: [],
    ...changes,
  })

test('a route that another service declares is forwarded without further code', () => {
  const forwarded = forwardRoutes([parcel('listParcels'), parcel('getParcel')], [])
  expect(forwarded.map(({ contract, passedOn }) => [contract.name, passedOn])).toEqual([
    ['listParcels', true],
    ['getParcel', true],
  ])
})

test('routes that the gateway owns or handles itself, and those of unknown callers, are left out', () => {
  const handled = parcel('createParcel')
  const contracts = [handled, parcel('parcelMoved', { auth: carrier }), parcel('audit', { service: 'gateway' })]
  expect(forwardRoutes(contracts, [route(handled, () => undefined as never)])).toEqual([])
})
