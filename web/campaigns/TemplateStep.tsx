import { useRef } from 'react'
import type { TemplateChoice } from '../../shared/campaigns.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { CartPreview } from '../words/CartPreview.tsx'
import { WordEditor } from '../words/WordEditor.tsx'
import { getContent, setContent } from './content.ts'
import { findCartVariables } from './default-content.ts'
import { useTemplates } from './queries.ts'
import type { StepProps } from './rules.ts'

/** B 2, step 3: the content. */
export function TemplateStep({ draft, problems, isReadOnly, onChange }: StepProps) {
  const templates = useTemplates()
  const kept = useRef(new Map<TemplateChoice, { subject: string; body: string }>())
  const { data, error, refetch } = templates
  if (!data) {
    if (!error) return <LoadingList count={3} />
    return <Failed title="The templates could not be loaded" error={error} onRetry={() => refetch()} />
  }
  const { type, template, subject, body } = draft
  /** Edits of a template are restored when the user returns to it. */
  const choose = (id: string) => {
    const next = data.campaign.find((each) => each.id === id)
    if (!next) return
    kept.current.set(template, { subject, body })
    onChange({ template: next.id, ...(kept.current.get(next.id) ?? { subject: next.subject, body: next.body }) })
  }
  const isWithoutCart = draft.audience === 'specific_customers'
  const offered = data.campaign.filter(({ id }) => !isWithoutCart || id === 'custom')
  const chosen = isWithoutCart ? 'custom' : template
  const isListed = offered.some(({ id }) => id === chosen)
  const choices = isListed ? offered : [{ id: chosen, name: 'Own words' }, ...offered]
  const words = getContent(draft)
  return (
    <WordEditor
      layout="toggle"
      channel={type}
      words={words}
      coupon={{ edit: draft, onChange }}
      problems={{ ...findCartVariables(draft), ...problems }}
      isWithoutCart={isWithoutCart}
      templates={{ choices, value: chosen, onChoose: choose }}
      approved={data.whatsapp}
      isReadOnly={isReadOnly}
      onWords={(next) => onChange(setContent(draft, next))}
      preview={
        <CartPreview
          channel={type}
          words={words}
          coupon={draft.coupon}
          isWithoutCart={isWithoutCart}
          onBody={(text) => onChange(setContent(draft, { body: text }))}
        />
      }
    />
  )
}
