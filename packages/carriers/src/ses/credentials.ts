import { z } from 'zod'
import { emailSender } from '../credential-fields.ts'

const topicArn = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/

/** Credentials of an Amazon SES account. `topic_arns` lists the trusted SNS topics, comma-separated. */
export const SesCredentials = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'must be an AWS region such as eu-west-1')
      .meta({ title: 'Region', examples: ['eu-west-1'] }),
    access_key_id: z
      .string()
      .regex(/^[A-Z0-9]{16,128}$/, 'must be 16 to 128 capital letters and digits')
      .meta({ title: 'Access key ID' }),
    secret_access_key: z
      .string()
      .regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 visible ASCII characters')
      .meta({ title: 'Secret access key' }),
    ...emailSender('Its domain must be verified in SES'),
    configuration_set: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores')
      .optional()
      .meta({ title: 'Configuration set', description: 'Publishes the events of messages to SNS' }),
    topic_arns: z
      .string()
      .max(4000)
      .refine(
        (text) => text.split(',').every((part) => topicArn.test(part.trim())),
        'must be SNS topic ARNs, comma separated',
      )
      .optional()
      .meta({ title: 'SNS topic ARNs', description: 'Topics whose receipts are trusted, comma separated' }),
  })
  .meta({ title: 'Amazon SES' })
export type SesCredentials = z.infer<typeof SesCredentials>
