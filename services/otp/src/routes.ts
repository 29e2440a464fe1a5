import {
  getOtp,
  readCode as readCodeContract,
  readCodeMessages as readCodeMessagesContract,
  resendOtp,
  sendOtp,
  verifyOtp,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from './context.ts'
import { getTransaction } from './transactions/get-transaction.ts'
import { readCode } from './transactions/read-code.ts'
import { readCodeMessages } from './transactions/read-code-messages.ts'
import { resendCode } from './transactions/resend-code.ts'
import { sendCode } from './transactions/send-code.ts'
import { verifyCode } from './transactions/verify-code.ts'

export const routes: readonly RouteEntry<Context>[] = [
  route(sendOtp, sendCode),
  route(verifyOtp, verifyCode),
  route(resendOtp, resendCode),
  route(getOtp, getTransaction),
  route(readCodeContract, readCode),
  route(readCodeMessagesContract, readCodeMessages),
]
