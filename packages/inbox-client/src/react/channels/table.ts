/** Names that are the same in all languages. */
const proper = { sms: 'SMS', whatsapp: 'WhatsApp', webhook: 'Webhook' }

/** The names of channels in a language, by its code. */
export const channelNames = {
  en: { ...proper, email: 'Email', in_app: 'In the app' },
  de: { ...proper, email: 'E-Mail', in_app: 'In der App' },
  fr: { ...proper, email: 'E-mail', in_app: 'Dans l’application' },
  es: { ...proper, email: 'Correo electrónico', in_app: 'En la aplicación' },
  pt: { ...proper, email: 'E-mail', in_app: 'No aplicativo' },
  pl: { ...proper, email: 'E-mail', in_app: 'W aplikacji' },
  ar: { ...proper, email: 'البريد الإلكتروني', in_app: 'في التطبيق' },
  hi: { ...proper, email: 'ईमेल', in_app: 'ऐप में' },
  zh: { ...proper, email: '电子邮件', in_app: '应用内' },
  ja: { ...proper, email: 'メール', in_app: 'アプリ内' },
}
