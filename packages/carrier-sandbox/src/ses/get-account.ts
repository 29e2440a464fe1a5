import type { RequestHandler } from 'express'
import type { MessageLog } from '../messages/message-log.ts'

/** `GET /v2/email/account`: an account outside the SES sandbox, with quotas that never limit. */
export function getAccount(log: MessageLog): RequestHandler {
  return (_req, res) =>
    void res.json({
      DedicatedIpAutoWarmupEnabled: false,
      EnforcementStatus: 'HEALTHY',
      ProductionAccessEnabled: true,
      // In SES, -1 means no daily limit.
      SendQuota: {
        Max24HourSend: -1,
        MaxSendRate: 100_000,
        SentLast24Hours: log.newest({ channel: 'email' }, 0).total,
      },
      SendingEnabled: true,
      SuppressionAttributes: { SuppressedReasons: [] },
    })
}
