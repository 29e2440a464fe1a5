import { z } from 'zod'
import { Channel, channelContracts } from './channels/table.ts'
import { countryPrefixOf } from './country-prefix.ts'
import { idSchema } from './ids.ts'
import { defineRoute, operator } from './route.ts'
import { usageQuery } from './usage.ts'

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
  .meta({ example: 'EUR' })
const Money = z.string().meta({ description: 'Decimal number in the currency', example: '12.35' })

export const Price = z
  .object({
    channel: Channel,
    category: z.enum(['marketing', 'utility', 'authentication']).nullable().default(null).meta({
      description:
        'Category of a WhatsApp template; null: every message of the channel without a price of its category',
    }),
    country_prefix: z
      .string()
      .regex(/^\+[1-9]\d{0,3}$/, 'must be a plus sign and 1 to 4 digits, such as +49')
      .refine((prefix) => countryPrefixOf(prefix.padEnd(8, '0')) === prefix, {
        message: 'must be the country code of E.164, or that of a country within +1 or +7, such as +1876',
      })
      .nullable()
      .default(null)
      .meta({
        description:
          'Country of the number, for SMS and WhatsApp; null: every country without a price of its own. The longest prefix ' +
          'counts, and among prices of one prefix that of the category.',
        example: '+49',
      }),
    price: z
      .string()
      .regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be a decimal number with at most six places, such as 0.045')
      .meta({ description: 'Of one message that a carrier has taken; of SMS, of one segment', example: '0.045' }),
  })
  .meta({ id: 'Price' })
export type Price = z.infer<typeof Price>

export const StoredPriceList = z
  .object({
    version: z.string().meta({ description: 'Another one for each list' }),
    currency: Currency.nullable(),
    prices: z.array(Price),
  })
  .meta({ id: 'PriceList' })
export type StoredPriceList = z.infer<typeof StoredPriceList>
export type PriceList = Omit<StoredPriceList, 'version'>

export const getPrices = defineRoute({
  name: 'getPrices',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/usage/prices',
  summary: 'Retrieve the price list of the tenant',
  auth: operator('usage:read'),
  responses: { 200: StoredPriceList },
  errors: [],
})

export const putPrices = defineRoute({
  name: 'putPrices',
  service: 'gateway',
  method: 'PUT',
  path: '/api/v1/usage/prices',
  summary: 'Replace the price list of the tenant. Costs of all periods are shown with it.',
  auth: operator('providers:manage'),
  query: z.strictObject({
    expected_version: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Version that the request is based on. If the list has another one: edit_conflict.' }),
  }),
  body: z
    .strictObject({ currency: Currency, prices: z.array(z.strictObject(Price.shape)).max(1000) })
    .refine(
      ({ prices }) =>
        new Set(prices.map((one) => `${one.channel} ${one.country_prefix} ${one.category}`)).size === prices.length,
      {
        path: ['prices'],
        message: 'must name each channel, country and category once',
      },
    )
    .superRefine(({ prices }, issues) => {
      for (const [at, { channel, category, country_prefix }] of prices.entries()) {
        const { addressField, categories } = channelContracts[channel]
        const refuse = (field: string, why: string) =>
          issues.addIssue({ code: 'custom', path: ['prices', at, field], message: `must be null: ${why}` })
        if (country_prefix !== null && addressField !== 'phone') {
          refuse('country_prefix', `the recipients of ${channel} are no phone numbers`)
        }
        if (category !== null && !categories?.includes(category)) {
          refuse('category', `messages of ${channel} have no category`)
        }
      }
    })
    .meta({ id: 'NewPriceList' }),
  responses: { 200: StoredPriceList },
  errors: ['edit_conflict'],
})

const counts = {
  messages: z.int().meta({
    description:
      'Accepted, without those that were cancelled or are scheduled. Like taken, delivered and failed it is 0 once the items of the ' +
      'activity are deleted; charged, segments and their cost stay.',
  }),
  taken: z.int().meta({ description: 'Taken by a carrier, or stored in an inbox' }),
  delivered: z.int(),
  failed: z.int().meta({ description: 'Failed or undelivered' }),
  charged: z.int().meta({ description: 'Messages that cost credits' }),
  segments: z.int().meta({ description: 'Parts of the SMS that were charged; 0 on other channels' }),
  cost: Money.nullable().meta({ description: 'By the price list; null without a price for the channel' }),
}

export const UsageMessages = z
  .object({
    period: z.string().meta({ description: 'Day or month in UTC', example: '2026-11-01' }),
    application_id: idSchema('app'),
    channel: Channel,
    ...counts,
  })
  .meta({ id: 'UsageMessages' })
export type UsageMessages = z.output<typeof UsageMessages>

export const UsageOfChannel = z.object({ channel: Channel, ...counts }).meta({ id: 'UsageOfChannel' })
export type UsageOfChannel = z.output<typeof UsageOfChannel>

export const listUsageMessages = defineRoute({
  name: 'listUsageMessages',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/usage/messages',
  summary: 'List all messages of live keys by period, application and channel, charged and not, with their cost',
  auth: operator('usage:read'),
  query: usageQuery,
  responses: {
    200: z.object({
      from: z.iso.date(),
      to: z.iso.date(),
      currency: Currency.nullable(),
      totals: z.array(UsageOfChannel).meta({ description: 'Of all periods and applications, by channel' }),
      items: z.array(UsageMessages),
      next_cursor: z.string().nullable(),
    }),
  },
  errors: [],
})
