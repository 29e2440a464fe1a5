/** Credentials of an AWS user that may send. */
export interface SesAccount {
  accessKeyId: string
  secretAccessKey: string
}

/** Who signed a request, and for which region. */
export interface SesCaller {
  account: SesAccount
  region: string
}

/** The AWS account that everything belongs to. */
export const awsAccountId = '123456789012'
