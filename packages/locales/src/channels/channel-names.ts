const everywhere = { sms: 'SMS', whatsapp: 'WhatsApp', webhook: 'Webhook' }

const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { ...everywhere, email: 'email', in_app: 'in the app' },
  de: { ...everywhere, email: 'E-Mail', in_app: 'in der App' },
  fr: { ...everywhere, email: 'e-mail', in_app: 'dans l’application' },
  es: { ...everywhere, email: 'correo electrónico', in_app: 'en la aplicación' },
  it: { ...everywhere, email: 'e-mail', in_app: 'nell’app' },
  pt: { ...everywhere, email: 'e-mail', in_app: 'no aplicativo' },
  nl: { ...everywhere, email: 'e-mail', in_app: 'in de app' },
  pl: { ...everywhere, email: 'e-mail', in_app: 'w aplikacji' },
  ar: { ...everywhere, email: 'البريد الإلكتروني', in_app: 'داخل التطبيق' },
  hi: { ...everywhere, email: 'ईमेल', in_app: 'ऐप में' },
  zh: { ...everywhere, email: '电子邮件', in_app: '应用内' },
  ja: { ...everywhere, email: 'メール', in_app: 'アプリ内' },
}

/** What a page for recipients calls a channel, in a language of {@link preferencePageWords}; its own name, where nobody has named it. */
export const nameOfChannel = (locale: string, channel: string): string =>
  names[locale]?.[channel] ?? names.en?.[channel] ?? channel
