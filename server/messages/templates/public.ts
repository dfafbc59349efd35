// What other rooms use: renderer.

export { toMailBrand } from './brand.ts'
export { isBuiltInBody, isBuiltInSubject } from './built-in.ts'
export {
  type ContentChange,
  type EmailContent,
  isDocumentOf,
  openDesign,
  replaceSubject,
  resolveContent,
} from './content.ts'
export {
  cleanText,
  type MailBrand,
  type TemplateContext,
  type TemplateCoupon,
  TemplateError,
  type TemplateSource,
} from './context.ts'
export { listDefaultTexts } from './default-texts.ts'
export { hasLegacyText, type RenderedMessage } from './mail.ts'
export { toTemplateText } from './plain-text.ts'
export { getReadyEmail } from './ready-emails.ts'
export { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES, READY_EMAIL, READY_TEXTS } from './ready-templates.ts'
export { getSharedRenders, type RenderPurpose, type Renders } from './render-queue.ts'
