import { expect, test } from '@jest/globals'
import { pinnedAddress } from './pinned-address.ts'

const development = ['http://127.0.0.1:8088']

test.each([
  'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem',
  'https://sns.us-gov-west-1.amazonaws.com/x.pem',
  'https://sns.cn-north-1.amazonaws.com.cn/x.pem',
  'https://SNS.EU-WEST-1.amazonaws.com/x.pem',
  'https://sns.eu-west-1.amazonaws.com:443/?Action=ConfirmSubscription',
  'http://127.0.0.1:8088/sns/x.pem',
])('%s is trusted', (address) => {
  expect(pinnedAddress(address, development)?.href).toBe(new URL(address).href)
})

test.each([
  '',
  'x.pem',
  '//sns.us-east-1.amazonaws.com/x.pem',
  'http://sns.us-east-1.amazonaws.com/x.pem',
  'ftp://sns.us-east-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.amazonaws.com:8443/x.pem',
  'https://user@sns.us-east-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.amazonaws.com@evil.example/x.pem',
  'https://sns.us-east-1.amazonaws.com.evil.example/x.pem',
  'https://evil.example/sns.us-east-1.amazonaws.com/x.pem',
  'https://evil.example/#https://sns.us-east-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.amazonaws.com.cn.evil.example/x.pem',
  'https://xsns.us-east-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.evil.amazonaws.com/x.pem',
  'https://sns.us-east-1-amazonaws.com/x.pem',
  'https://sns.us.east.1.amazonaws.com/x.pem',
  'https://sns.s3.amazonaws.com/x.pem',
  'https://sns.s3-eu-west-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.amazonaws.com.\u3002evil.example/x.pem',
  'http://127.0.0.1:8089/x.pem',
  'https://127.0.0.1:8088/x.pem',
  'http://user@127.0.0.1:8088/x.pem',
  'http://localhost:8088/x.pem',
])('%s is not', (address) => {
  expect(pinnedAddress(address, development)).toBeUndefined()
})

test('without an exception only Amazon’s hosts are trusted', () => {
  expect(pinnedAddress('http://127.0.0.1:8088/sns/x.pem', [])).toBeUndefined()
})
