import { z } from 'zod'

/** @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_DkimSigningAttributes.html */
export const SigningAttributes = z.object({
  DomainSigningSelector: z
    .string()
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'must be one label of a domain name')
    .optional(),
  DomainSigningPrivateKey: z.base64('must be base64 without header and footer').max(20_480).optional(),
  NextSigningKeyLength: z.enum(['RSA_1024_BIT', 'RSA_2048_BIT']).optional(),
})
export type SigningAttributes = z.infer<typeof SigningAttributes>

export const CreateIdentity = z.object({
  EmailIdentity: z.string().min(1).max(320),
  DkimSigningAttributes: SigningAttributes.optional(),
})

export const PutSigning = z.object({
  SigningAttributesOrigin: z.enum(['AWS_SES', 'EXTERNAL']),
  SigningAttributes: SigningAttributes.optional(),
})

export const PutMailFrom = z.object({
  MailFromDomain: z.string().max(253).optional(),
  BehaviorOnMxFailure: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']).default('USE_DEFAULT_VALUE'),
})
