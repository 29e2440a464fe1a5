import { lookUp } from '@notify/locales'

/** The text of a code without a template of the application. */
interface CodeText {
  subject: string
  /** By plural category of the minutes (CLDR); `other` stands for those that are absent. */
  sentence: { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>
  /** For email. */
  ignore: string
}

export const codeTexts: Readonly<Record<string, CodeText>> = {
  en: {
    subject: 'Your verification code',
    sentence: {
      one: '{code} is your verification code. It expires in {minutes} minute.',
      other: '{code} is your verification code. It expires in {minutes} minutes.',
    },
    ignore: 'If you did not ask for it, ignore this message.',
  },
  de: {
    subject: 'Ihr Bestätigungscode',
    sentence: {
      one: '{code} ist Ihr Bestätigungscode. Er läuft in {minutes} Minute ab.',
      other: '{code} ist Ihr Bestätigungscode. Er läuft in {minutes} Minuten ab.',
    },
    ignore: 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht.',
  },
  fr: {
    subject: 'Votre code de vérification',
    sentence: {
      one: '{code} est votre code de vérification. Il expire dans {minutes} minute.',
      other: '{code} est votre code de vérification. Il expire dans {minutes} minutes.',
    },
    ignore: 'Si vous ne l’avez pas demandé, ignorez ce message.',
  },
  es: {
    subject: 'Su código de verificación',
    sentence: {
      one: '{code} es su código de verificación. Caduca en {minutes} minuto.',
      other: '{code} es su código de verificación. Caduca en {minutes} minutos.',
    },
    ignore: 'Si no lo ha solicitado, ignore este mensaje.',
  },
  pt: {
    subject: 'O seu código de verificação',
    sentence: {
      one: '{code} é o seu código de verificação. Expira em {minutes} minuto.',
      other: '{code} é o seu código de verificação. Expira em {minutes} minutos.',
    },
    ignore: 'Se não o pediu, ignore esta mensagem.',
  },
  pl: {
    subject: 'Kod weryfikacyjny',
    sentence: {
      one: '{code} to Twój kod weryfikacyjny. Wygaśnie za {minutes} minutę.',
      few: '{code} to Twój kod weryfikacyjny. Wygaśnie za {minutes} minuty.',
      many: '{code} to Twój kod weryfikacyjny. Wygaśnie za {minutes} minut.',
      other: '{code} to Twój kod weryfikacyjny. Wygaśnie za {minutes} minuty.',
    },
    ignore: 'Jeśli o niego nie prosisz, zignoruj tę wiadomość.',
  },
  ar: {
    subject: 'رمز التحقق الخاص بك',
    sentence: {
      one: 'رمز التحقق الخاص بك هو {code}. تنتهي صلاحيته خلال دقيقة واحدة.',
      two: 'رمز التحقق الخاص بك هو {code}. تنتهي صلاحيته خلال دقيقتين.',
      few: 'رمز التحقق الخاص بك هو {code}. تنتهي صلاحيته خلال {minutes} دقائق.',
      other: 'رمز التحقق الخاص بك هو {code}. تنتهي صلاحيته خلال {minutes} دقيقة.',
    },
    ignore: 'إذا لم تطلبه، فتجاهل هذه الرسالة.',
  },
  hi: {
    subject: 'आपका सत्यापन कोड',
    sentence: { other: '{code} आपका सत्यापन कोड है। यह {minutes} मिनट में समाप्त हो जाएगा।' },
    ignore: 'अगर आपने इसका अनुरोध नहीं किया है, तो इस संदेश को अनदेखा करें।',
  },
  zh: {
    subject: '您的验证码',
    sentence: { other: '您的验证码是 {code}，{minutes} 分钟内有效。' },
    ignore: '如果这不是您本人的操作，请忽略此消息。',
  },
  ja: {
    subject: '確認コード',
    sentence: { other: '確認コードは {code} です。{minutes} 分間有効です。' },
    ignore: 'お心当たりがない場合は、このメッセージを無視してください。',
  },
}

const rules = new Map(Object.keys(codeTexts).map((locale) => [locale, new Intl.PluralRules(locale)]))

/** The text of a code in the first language that there is, else in English. @param wanted locales in order of priority */
export function codeText(wanted: readonly string[], { code, minutes }: { code: string; minutes: number }) {
  const [locale = 'en'] = lookUp(wanted, (one) => Object.hasOwn(codeTexts, one))
  const { subject, sentence, ignore } = codeTexts[locale]!
  const form = sentence[rules.get(locale)!.select(minutes)] ?? sentence.other
  return { locale, subject, sentence: form.replace('{code}', code).replace('{minutes}', String(minutes)), ignore }
}
