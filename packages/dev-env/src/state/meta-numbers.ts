import type { State } from './state.ts'

/**
 * The WhatsApp numbers of the demo, as the sandbox knows them: one of the shared app, one of an app of its own.
 * @param callbacks where the gateway takes callbacks
 */
export function metaNumbers(state: State, callbacks: string) {
  return [
    {
      phone_number_id: state.meta_phone_number_id,
      business_account_id: state.meta_waba_id,
      access_token: state.meta_access_token,
      app_secret: state.meta_shared_app_secret,
      webhook_url: `${callbacks}/cloud/shared`,
    },
    {
      phone_number_id: state.meta_own_phone_number_id,
      business_account_id: state.meta_own_waba_id,
      access_token: state.meta_access_token,
      app_secret: state.meta_own_app_secret,
      webhook_url: `${callbacks}/cloud/${state.meta_own_provider_id}`,
    },
  ]
}
