import { beforeAll } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'

/** The stack of all tests of inboxes; those of streams start a further replica. */
export let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    // For the tests that fill the buffers of a stream.
    env: { all: { USER_CHANGES_PER_SECOND: '10000' } },
  })
})
