import { afterAll, beforeAll } from '@jest/globals'
// Each defines the tests of its subject; all use one app.
import '../../tests/mount/answers.ts'
import '../../tests/mount/bodies.ts'
import '../../tests/mount/callers.ts'
import '../../tests/mount/connections.ts'
import { lifecycle, startMounted } from '../../tests/mount/mounted.ts'
import '../../tests/mount/targets.ts'

beforeAll(startMounted)
afterAll(() => lifecycle.stop())
