import type { DnsRecord } from './record.ts'

/** Regions whose bounce host a MAIL FROM domain may point to. */
const regions = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'ca-central-1',
  'eu-central-1',
  'eu-west-1',
  'eu-west-2',
  'ap-southeast-1',
]

/**
 * What the records of a sending domain point to, so that SPF can be followed to its end: the include of the service under
 * test, and those of SES and Mailgun. The addresses are of the blocks for documentation.
 */
export function builtInRecords(spfInclude: string): DnsRecord[] {
  const text = (name: string, value: string): DnsRecord => ({ type: 'TXT', name: name.toLowerCase(), value })
  return [
    text(spfInclude, 'v=spf1 ip4:192.0.2.0/24 -all'),
    text('amazonses.com', 'v=spf1 ip4:198.51.100.0/24 ip6:2001:db8::/32 -all'),
    text('mailgun.org', 'v=spf1 ip4:203.0.113.0/24 -all'),
    ...regions.map((region): DnsRecord => ({ type: 'A', name: bounceHost(region), value: '198.51.100.10' })),
  ]
}

/** Where the MX record of a MAIL FROM domain of this region points. */
export function bounceHost(region: string): string {
  return `feedback-smtp.${region}.amazonses.com`
}
