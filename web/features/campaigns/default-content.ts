import type { AudienceType } from '../../../shared/marketing/audience.ts'
import { campaignTexts, hasCartVariable } from '../../../shared/marketing/campaigns.ts'
import type { Draft, Problems } from './rules.ts'

// Default texts for chosen customers, who may have no cart. Pure.

type DraftTexts = Pick<Draft, 'template' | 'subject' | 'body' | 'design' | 'sms'>

/**
 * Texts after the audience type changed: default texts about a cart are replaced. `before`: the texts used for carts.
 */
export function chooseContent(
  audience: AudienceType,
  draft: DraftTexts,
  before: DraftTexts | null,
): Partial<DraftTexts> {
  const isBlank = draft.subject.trim() === '' && draft.body.trim() === '' && draft.sms.trim() === ''
  if (audience === 'abandoned_carts') return isBlank && before ? before : {}
  const isOfCart =
    !['custom', 'quick_send'].includes(draft.template) || hasCartVariable(`${draft.subject} ${draft.body}`)
  return {
    template: 'custom',
    ...(isOfCart && { subject: '', body: '', design: null }),
    ...(hasCartVariable(draft.sms) && { sms: '' }),
  }
}

export function findCartVariables({ audience, type, subject, body, sms }: Draft): Problems {
  if (audience !== 'specific_customers' || type === 'whatsapp') return {}
  if (type === 'sms') return hasCartVariable(sms) ? { body: campaignTexts.cartWords } : {}
  return {
    ...(hasCartVariable(subject) && { subject: campaignTexts.cartWords }),
    ...(hasCartVariable(body) && { body: campaignTexts.cartWords }),
  }
}
