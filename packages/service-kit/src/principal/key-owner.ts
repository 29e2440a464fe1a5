import { type ServiceName, serviceNames } from '@notify/contracts'

/**
 * Whose key it is, by the name in the JWKS: the service whose name the `kid` begins with (`otp-2026-11`). Every other name is
 * the gateway's, which named its keys freely when it was the only one to sign.
 */
export function ownerOf(kid: string): ServiceName {
  return serviceNames.find((service) => kid.startsWith(service)) ?? 'gateway'
}
