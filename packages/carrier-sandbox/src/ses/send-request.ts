import { z } from 'zod'

const mostTags = 50
const mostHeaders = 15

const tagText = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9_-]+$/, 'may contain alphanumeric ASCII characters, underscores and dashes only')

const Content = z.object({ Data: z.string(), Charset: z.string().optional() })
const OneLine = Content.refine(({ Data }) => !/[\r\n\0]/.test(Data), 'contains control characters')

const Header = z.object({
  Name: z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,126}$/, 'must be a header name of at most 126 characters'),
  Value: z.string().regex(/^[\x20-\x7e]{1,995}$/, 'must be printable ASCII of at most 995 characters'),
})

const Addresses = z.array(z.string()).default([])

/**
 * The body of a send request, limited to what the stand-in reads; other members are ignored, as SES does.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
export const SendRequest = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z
    .object({ ToAddresses: Addresses, CcAddresses: Addresses, BccAddresses: Addresses })
    .default({ ToAddresses: [], CcAddresses: [], BccAddresses: [] }),
  ReplyToAddresses: Addresses,
  ConfigurationSetName: z.string().optional(),
  EmailTags: z
    .array(z.object({ Name: tagText.refine((name) => !name.startsWith('ses:')), Value: tagText }))
    .max(mostTags)
    .default([]),
  Content: z.object({
    Simple: z
      .object({
        Subject: OneLine,
        Body: z
          .object({ Text: Content.optional(), Html: Content.optional() })
          .refine(({ Text, Html }) => Text || Html, 'must have a Text or an Html part'),
        Headers: z.array(Header).max(mostHeaders).default([]),
      })
      .optional(),
    Raw: z.object({ Data: z.base64() }).optional(),
    Template: z.object({ TemplateName: z.string().optional() }).optional(),
  }),
})
export type SendRequest = z.infer<typeof SendRequest>
