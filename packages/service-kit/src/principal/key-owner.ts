import { type ServiceName, serviceNames } from '@notify/contracts'

/** The service that owns a key of the JWKS: the one whose name begins the `kid` (`otp-2026-11`). */
export function ownerOf(kid: string): ServiceName | undefined {
  return serviceNames.find((service) => kid.startsWith(service))
}
