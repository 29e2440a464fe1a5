import { type ServiceName, serviceNames } from '@notify/contracts'

/** Whose key it is, by the name in the JWKS: the service whose name the `kid` begins with (`otp-2026-11`). */
export function ownerOf(kid: string): ServiceName | undefined {
  return serviceNames.find((service) => kid.startsWith(service))
}
