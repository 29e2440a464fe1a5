import { beforeAll } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'

/** A gateway without other services. */
export let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway'])
})

/** What a browser gets of a path, without its redirects. */
export const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, env.urls.gateway), { headers, redirect: 'manual' })
