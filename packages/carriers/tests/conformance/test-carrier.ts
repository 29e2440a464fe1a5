import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { sendingCarriers } from '../../src/sending.ts'
import { endAll, recognizeErrorsOfNode } from './broken-carrier.ts'
import { testCallbacks } from './callbacks.ts'
import { testCodes } from './codes.ts'
import { testDomains } from './domains.ts'
import { testFaults } from './faults.ts'
import type { CarrierFixture } from './fixture.ts'
import { testMail } from './mail.ts'
import { testProof } from './proof.ts'
import { testSending } from './sending.ts'
import { startWorld, type World } from './world.ts'

/**
 * Everything that is promised of each carrier, tried against its stand-in: a carrier that passes is done.
 * @example testCarrier({ kind: 'sendgrid', connect, wrong: { api_key: 'SG.of-nobody' }, … })
 */
export function testCarrier(fixture: CarrierFixture): void {
  let world: World
  beforeAll(async () => {
    recognizeErrorsOfNode()
    world = await startWorld(fixture)
  })
  afterAll(() => world?.stop())
  afterEach(endAll)
  const worldOf = () => world
  testSending(fixture, worldOf)
  if (sendingCarriers[fixture.kind]?.channel === 'email') testMail(fixture, worldOf)
  if (fixture.mode !== 'test') testFaults(fixture, worldOf)
  testCodes(fixture, worldOf)
  testDomains(fixture, worldOf)
  if (fixture.proof === null) return
  testCallbacks(fixture, worldOf)
  testProof({ ...fixture, proof: fixture.proof }, worldOf)
}
