import { describe, expect, test } from '@jest/globals'
import { namedApplication, newId, OperatorPermission, permissionsFor } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { requestExampleOf } from '@notify/contracts/openapi-examples'
import { expectProblem } from '@notify/test-kit/api'
import { addTenant, operatorToken } from '@notify/test-kit/callers'
import { call, env } from './stack.ts'

/** Its application is a filter, which matches nothing when it is another tenant's. */
const filters = ['createRetryJob']
const named = publicRoutes().filter(
  (route) => namedApplication(route) && permissionsFor(route.auth)?.operator && !filters.includes(route.name),
)

describe('a route that names an application', () => {
  test('is known from its contract', () => {
    const inBody = named.filter((route) => namedApplication(route) === 'body').map(({ name }) => name)
    expect(inBody).toEqual(
      expect.arrayContaining(['createProvider', 'createTemplate', 'replaceTemplate', 'createWebhookSubscription']),
    )
    expect(named.length).toBeGreaterThan(inBody.length)
  })

  test.each(named.map((route) => [route.name, route] as const))(
    '%s takes no application of another tenant and none that does not exist',
    async (_, route) => {
      const { applicationId } = await addTenant(env)
      const token = operatorToken(env, { permissions: OperatorPermission.options })
      const example = requestExampleOf(route) as object | undefined
      for (const application_id of [applicationId, newId('app')]) {
        const inPath = namedApplication(route) === 'path'
        const path = route.path.replace('/api/v1', '').replace(':application_id', application_id)
        const body = inPath ? example : { ...example, application_id }
        const answer = await call(route.method, path.replaceAll(/:\w+/g, 'en'), body, token)
        if (inPath) {
          expectProblem(answer, 404, 'not_found')
        } else {
          expectProblem(answer, 422, 'validation_failed')
          const message = 'is not an application of this tenant'
          expect(answer.body.errors).toEqual([{ path: 'application_id', message }])
        }
      }
    },
  )
})
