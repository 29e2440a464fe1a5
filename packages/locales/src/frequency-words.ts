/** The words of how often a person wants the messages of a topic. */
export interface FrequencyWords {
  howOften: string
  /** As the event says. */
  asUsual: string
  instant: string
  hourly: string
  daily: string
  weekly: string
}

/** By language, those of `preferencePageWords`; each is whole. */
export const frequencyWords: Readonly<Record<string, FrequencyWords>> = {
  en: {
    howOften: 'How often',
    asUsual: 'As usual',
    instant: 'Each message at once',
    hourly: 'A summary every hour',
    daily: 'A summary every day',
    weekly: 'A summary every week',
  },
  de: {
    howOften: 'Wie oft',
    asUsual: 'Wie üblich',
    instant: 'Jede Nachricht sofort',
    hourly: 'Stündliche Zusammenfassung',
    daily: 'Tägliche Zusammenfassung',
    weekly: 'Wöchentliche Zusammenfassung',
  },
  fr: {
    howOften: 'Fréquence',
    asUsual: 'Comme d’habitude',
    instant: 'Chaque message aussitôt',
    hourly: 'Un résumé par heure',
    daily: 'Un résumé par jour',
    weekly: 'Un résumé par semaine',
  },
  es: {
    howOften: 'Frecuencia',
    asUsual: 'Como siempre',
    instant: 'Cada mensaje al momento',
    hourly: 'Un resumen cada hora',
    daily: 'Un resumen al día',
    weekly: 'Un resumen a la semana',
  },
  it: {
    howOften: 'Frequenza',
    asUsual: 'Come di consueto',
    instant: 'Ogni messaggio subito',
    hourly: 'Un riepilogo all’ora',
    daily: 'Un riepilogo al giorno',
    weekly: 'Un riepilogo alla settimana',
  },
  pt: {
    howOften: 'Frequência',
    asUsual: 'Como de costume',
    instant: 'Cada mensagem na hora',
    hourly: 'Um resumo por hora',
    daily: 'Um resumo por dia',
    weekly: 'Um resumo por semana',
  },
  nl: {
    howOften: 'Hoe vaak',
    asUsual: 'Zoals gewoonlijk',
    instant: 'Elk bericht meteen',
    hourly: 'Elk uur een overzicht',
    daily: 'Elke dag een overzicht',
    weekly: 'Elke week een overzicht',
  },
  pl: {
    howOften: 'Jak często',
    asUsual: 'Jak zwykle',
    instant: 'Każda wiadomość od razu',
    hourly: 'Podsumowanie co godzinę',
    daily: 'Podsumowanie codziennie',
    weekly: 'Podsumowanie co tydzień',
  },
  ar: {
    howOften: 'وتيرة الإرسال',
    asUsual: 'كالمعتاد',
    instant: 'كل رسالة فورًا',
    hourly: 'ملخص كل ساعة',
    daily: 'ملخص كل يوم',
    weekly: 'ملخص كل أسبوع',
  },
  hi: {
    howOften: 'कितनी बार',
    asUsual: 'हमेशा की तरह',
    instant: 'हर संदेश तुरंत',
    hourly: 'हर घंटे सारांश',
    daily: 'हर दिन सारांश',
    weekly: 'हर सप्ताह सारांश',
  },
  zh: {
    howOften: '接收频率',
    asUsual: '按默认方式',
    instant: '每条消息立即发送',
    hourly: '每小时汇总',
    daily: '每天汇总',
    weekly: '每周汇总',
  },
  ja: {
    howOften: '受信頻度',
    asUsual: '通常どおり',
    instant: 'メッセージごとにすぐ',
    hourly: '1時間ごとにまとめて',
    daily: '1日ごとにまとめて',
    weekly: '1週間ごとにまとめて',
  },
}
