import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { consentFault } from './judge-consent.ts'

const template = (category: string) => ({ name: 'a', language: 'en', category })
const entry_id = newId('optin')

test('only an active consent permits a message, and a marketing stop refuses only marketing', () => {
  expect(consentFault({ status: 'none', marketing_stopped: false, entry_id: null }, undefined)).toContain('no recorded')
  expect(consentFault({ status: 'revoked', marketing_stopped: false, entry_id }, undefined)).toContain(entry_id)
  expect(consentFault({ status: 'active', marketing_stopped: false, entry_id }, template('marketing'))).toBeUndefined()
  const stopped = { status: 'active', marketing_stopped: true, entry_id } as const
  expect(consentFault(stopped, template('marketing'))).toContain('marketing')
  expect(consentFault(stopped, template('utility'))).toBeUndefined()
  expect(consentFault(stopped, template('authentication'))).toBeUndefined()
})
