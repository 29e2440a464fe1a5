export const layoutHtml = '<body>{{ content }}<p>Shop Ltd, 1 Main Street</p></body>'

const translations = { de: { html_body: layoutHtml.replace('1 Main Street', 'Hauptstraße 1') } }

/** Values of layouts and their versions. */
export const layoutFieldExamples: Readonly<Record<string, unknown>> = {
  'Layout.name': 'Brand',
  'Layout.html_body': layoutHtml,
  'Layout.translations': translations,
  'LayoutSummary.name': 'Brand',
  'LayoutSummary.locales': ['de'],
  'LayoutVersion.name': 'Brand',
  'LayoutVersion.html_body': layoutHtml,
  'LayoutVersion.translations': translations,
  'LayoutVersionSummary.name': 'Brand',
  'previewLayout.rendered': {
    html_body: layoutHtml.replace('{{ content }}', '<p>The content of the email.</p>'),
    body: 'The content of the email.',
  },
  'previewLayout.locale': null,
}
