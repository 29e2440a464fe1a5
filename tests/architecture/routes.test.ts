import { expect, test } from '@jest/globals'
import { permissionsFor, serviceNames } from '@notify/contracts'
import { allRoutes, publicRoutes } from '@notify/contracts/catalogue'
import { routesOf } from '../../scripts/service-declarations.ts'

/** The gateway batches these calls into `acceptNotifications`. */
const gathered = 'createNotification'

const namesOf = (routes: readonly { name: string }[]) => routes.map(({ name }) => name).sort()

test.each(serviceNames)('%s answers every route that the contracts give it', async (service) => {
  const contracts = (await routesOf(service)).map(({ contract }) => contract)
  const owned = allRoutes().filter((route) => route.service === service && route.name !== gathered)
  expect(namesOf(contracts.filter((route) => route.service === service))).toEqual(namesOf(owned))
  // Only the gateway handles routes of others.
  if (service !== 'gateway') expect(contracts.filter((route) => route.service !== service)).toEqual([])
})

test('the gateway answers every public route that it knows the callers of, each once', async () => {
  const contracts = (await routesOf('gateway')).map(({ contract }) => contract)
  const expected = publicRoutes().filter(({ service, auth }) => service === 'gateway' || permissionsFor(auth))
  expect(namesOf(contracts)).toEqual(namesOf(expected))
})
