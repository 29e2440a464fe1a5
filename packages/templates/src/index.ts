export { createRenderer, type Fill, type NamedTemplate, type Renderer } from './create-renderer.ts'
export type { TemplateForm } from './template-limits.ts'
