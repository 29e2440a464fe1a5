import { testCarrier } from './conformance/test-carrier.ts'

/** A mail server needs no stand-in: test keys speak to the sandbox as to Amazon SES. The protocol is tested beside its files. */
testCarrier({
  kind: 'smtp',
  mode: 'test',
  sandbox: () => ({ SES_ACCOUNTS: 'SANDBOXSANDBOXSANDBOX:sandbox-sandbox-sandbox' }),
  connect: async () => ({ host: 'mail.example.com', port: '587', security: 'starttls', from: 'shop@example.com' }),
  wrong: {},
  sending: () => ({ SMTP_EGRESS_ALLOW: '' }),
  refusals: [],
  undelivered: {},
  proof: null,
})
