import { GetAccountCommand } from '@aws-sdk/client-sesv2'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import type { CheckOptions } from '../sender.ts'
import { createSesClient } from './client.ts'
import type { SesCredentials } from './credentials.ts'
import type { SesEnvironment } from './environment.ts'

/**
 * Reads the account in its region. Never throws.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
 */
export async function checkAccount(
  credentials: SesCredentials,
  { timeoutMs, environment }: CheckOptions<SesEnvironment>,
): Promise<AccountCheck> {
  const client = createSesClient(credentials, { endpoint: environment.SES_API_URL, timeoutMs })
  try {
    const account = await client.send(new GetAccountCommand({}))
    const details = {
      sending_enabled: account.SendingEnabled,
      production_access: account.ProductionAccessEnabled,
      enforcement_status: account.EnforcementStatus,
      max_send_rate: account.SendQuota?.MaxSendRate,
    }
    if (!account.SendingEnabled) return checkFailed('sending_disabled', 'Sending is disabled for the account', details)
    const sandbox = account.ProductionAccessEnabled ? '' : ', to verified recipients only: it is in the SES sandbox'
    return checkPassed(`The account may send${sandbox}`, details)
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
    if ($metadata?.httpStatusCode === undefined) return checkSilent(error)
    return checkFailed(name, message)
  } finally {
    client.destroy()
  }
}
