import {
  type EmailContent,
  type SESv2Client,
  SESv2ServiceException,
  SendEmailCommand,
  type SendEmailCommandInput,
} from '@aws-sdk/client-sesv2'
import { withoutAddresses } from '@notify/privacy'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createClientCache } from '../client-cache.ts'
import { composeMime } from '../compose-mime.ts'
import { formatMailbox } from '../format-mailbox.ts'
import type { Correlation, EmailMessage } from '../messages.ts'
import { addressesOf, mailboxTexts } from '../recipients-of.ts'
import { readRetryAfter } from '../retry-after.ts'
import type { Sender, SenderDefinition, SenderOptions } from '../sender.ts'
import { travellingWith } from '../travelling-with.ts'
import { accepted, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal } from '../verdict.ts'
import { checkAccount } from './check.ts'
import { createSesClient } from './client.ts'
import type { SesCredentials } from './credentials.ts'
import type { SesEnvironment } from './environment.ts'
import { judgeSesError } from './exceptions.ts'
import { sesIdentities } from './identities.ts'

type Options = SenderOptions<SesEnvironment>

export const sesSender: SenderDefinition<SesCredentials, EmailMessage, SesEnvironment> = {
  createSender: createSesSender,
  identities: sesIdentities,
  check: checkAccount,
}

/** Sends email through the Amazon SES API (v2), with one client per account. */
export function createSesSender(options: Options): Sender<SesCredentials, EmailMessage> {
  const { timeoutMs, maxConnections } = options
  const clients = createClientCache<SESv2Client>((client) => client.destroy())
  return {
    async send(account, message) {
      const endpoint = message.mode === 'test' ? `${options.sandboxUrl}/ses` : options.environment.SES_API_URL
      const client = clients.of(account, endpoint ?? '', () =>
        createSesClient(account.credentials, { endpoint, timeoutMs, maxConnections }),
      )
      let command: SendEmailCommand
      try {
        command = new SendEmailCommand(await inputOf(account.id, account.credentials, message))
      } catch (error) {
        return notBegun(error)
      }
      const { traceparent } = message
      let begun = false
      command.middlewareStack.add(
        (next) => (args) => {
          begun = true
          return next(args)
        },
        // The last step before the connection.
        { step: 'deserialize', priority: 'low', name: 'begun' },
      )
      if (traceparent) {
        command.middlewareStack.add(
          (next) => (args) => {
            Object.assign((args.request as { headers: Record<string, string> }).headers, { traceparent })
            return next(args)
          },
          { step: 'build', name: 'traceparent' },
        )
      }
      try {
        const { MessageId } = await client.send(command)
        // A proxy may have answered for the carrier.
        return MessageId ? accepted(MessageId) : refusal('no_id', didNotAnswer, null)
      } catch (error) {
        if (!begun || isNotWritable(error)) return notBegun(error)
        const sender = message.from === undefined ? account.credentials.from : undefined
        return answerOf(error, sender, addressesOf(message))
      }
    },
    close: () => clients.close(),
  }
}

/** The request, with tags that SES returns in every event (`mail.tags`). */
async function inputOf(
  providerId: string,
  credentials: SesCredentials,
  message: EmailMessage & Correlation,
): Promise<SendEmailCommandInput> {
  const { to, to_name, cc, bcc } = message
  const tags = Object.entries(travellingWith(message, { provider_id: providerId }))
  return {
    FromEmailAddress: formatMailbox(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    Destination: {
      ToAddresses: [formatMailbox(to, to_name)],
      CcAddresses: mailboxTexts(cc),
      BccAddresses: mailboxTexts(bcc),
    },
    Content: await contentOf(credentials, message),
    EmailTags: tags.map(([Name, Value]) => ({ Name, Value })),
    ...(credentials.configuration_set ? { ConfigurationSetName: credentials.configuration_set } : {}),
  }
}

/**
 * What SES takes as headers beside texts.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
 */
const simpleHeaders = { most: 15, value: 870 }

/** Texts and some headers are sent as such; a message with more in MIME, as over SMTP. */
async function contentOf(credentials: SesCredentials, message: EmailMessage & Correlation): Promise<EmailContent> {
  const { subject, text, html, cc, bcc, reply_to, attachments } = message
  const headers = Object.entries(message.headers ?? {})
  const areSimple =
    headers.length <= simpleHeaders.most && headers.every(([, value]) => value.length <= simpleHeaders.value)
  if (cc || bcc || reply_to || attachments || !areSimple)
    return { Raw: { Data: await composeMime(credentials, message) } }
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
  return {
    Simple: {
      Subject: utf8(subject),
      Body: {
        ...(text === undefined ? {} : { Text: utf8(text) }),
        ...(html === undefined ? {} : { Html: utf8(html) }),
      },
      ...(headers.length > 0 && { Headers: headers.map(([Name, Value]) => ({ Name, Value })) }),
    },
  }
}

interface SdkError {
  name?: string
  message?: string
  code?: string
  hasLeft?: boolean
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

/** Classifies a failed call: permanent, retryable or unknown. */
function answerOf(error: unknown, sender: string | undefined, recipients: readonly string[]): CarrierAnswer {
  const { name = 'Error', message = '', code, hasLeft, $metadata, $response } = error as SdkError
  const status = $metadata?.httpStatusCode
  // An unreadable 2xx: the message may have been accepted.
  if (status !== undefined && status >= 300) {
    const verdict = judgeSesError(status, name, message, sender)
    const isNamed = error instanceof SESv2ServiceException && !/^(Unknown|UnknownError|Error)$/.test(name)
    const ownWord = isNamed ? name : `http_${status}`
    const sentence = isNamed && message ? withoutAddresses(message, recipients) : `Amazon SES answered ${status}`
    return refusal(ownWord, verdict, `${ownWord} ${sentence}`, readRetryAfter($response?.headers?.['retry-after']))
  }
  const reason = code ?? name
  return refusal(reason, hasLeft === false ? couldNotBeReached : didNotAnswer, null)
}
