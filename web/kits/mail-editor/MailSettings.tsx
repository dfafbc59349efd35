import { Radio, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { isPromiseReadable } from '../../../shared/messages/brand.ts'
import type { Inline, MailDocument, ThemeName } from '../../../shared/messages/mail-document.ts'
import { useStore } from '../../core/access/queries.ts'
import { replaceMail, setMail } from './actions.ts'
import { type CartChoice, CartChooser } from './CartChooser.tsx'
import { Designs } from './Designs.tsx'
import { InlinesField } from './InlinesField.tsx'
import { languageOptions } from './languages.ts'
import type { LookSource } from './look.ts'
import type { MailProblem } from './problems.ts'
import { useBrandKit } from './queries.ts'
import { themeLabels } from './themes.ts'

interface Props {
  editor: Editor
  document: MailDocument
  look: LookSource
  problems: readonly MailProblem[]
  cart: CartChoice
  onCart: (cart: CartChoice) => void
  onProblem: (problem: MailProblem) => void
}

/** Subject, preview line and theme; the cart it is shown with; problems. */
export function MailSettings(props: Props) {
  const { editor, document, look, problems, cart, onCart, onProblem } = props
  const store = useStore()
  const promise = useBrandKit().data?.look.promise
  const isPromiseLeftOut = Boolean(promise) && !isPromiseReadable(document.language, store?.locale ?? null)
  const subjectProblem = problems.find(({ where }) => where === 'Subject')?.text
  return (
    <Stack gap="md">
      <Problems problems={problems} onProblem={onProblem} />
      {Array.isArray(document.subject) ? (
        <InlinesField
          label="Subject"
          error={subjectProblem}
          value={document.subject}
          look={look}
          onChange={(subject) => setMail(editor, { subject })}
        />
      ) : (
        <LegacySubject editor={editor} source={document.subject.source} error={subjectProblem} />
      )}
      <InlinesField
        label="Preview line"
        description="After the subject in the inbox. Empty: the first words of the email"
        value={document.preview}
        look={look}
        onChange={(preview: Inline[]) => setMail(editor, { preview })}
      />
      <Themes value={document.theme} onChange={(theme) => setMail(editor, { theme })} />
      <Select
        label="Language"
        description="Of your text. Amounts, dates and added words follow it."
        comboboxProps={{ zIndex: 400 }}
        placeholder="The store’s language"
        clearable
        data={languageOptions}
        value={document.language}
        onChange={(language) => setMail(editor, { language: language as MailDocument['language'] })}
      />
      {isPromiseLeftOut && (
        <Text fz="sm" c="dimmed">
          Your brand’s line on shipping and returns is in another language, so this email leaves it out.
        </Text>
      )}
      <Designs look={look.current} onChoose={(design) => replaceMail(editor, design)} />
      <CartChooser value={cart} onChange={onCart} />
    </Stack>
  )
}

const LegacySubject = ({ editor, source, error }: { editor: Editor; source: string; error: string | undefined }) => (
  <TextInput
    label="Subject"
    description="With Liquid, from an older template"
    error={error}
    maxLength={200}
    value={source}
    onChange={(event) => setMail(editor, { subject: { kind: 'legacy_text', source: event.currentTarget.value } })}
  />
)

function Themes({ value, onChange }: { value: ThemeName; onChange: (theme: ThemeName) => void }) {
  return (
    <Radio.Group label="Theme" value={value} onChange={(next) => onChange(next as ThemeName)}>
      <div className="me-themes">
        {Object.entries(themeLabels).map(([name, { label, hint }]) => (
          <Radio.Card key={name} value={name} className="me-theme">
            <span className={`me-theme-look me-theme-${name}`} aria-hidden>
              <i />
              <i />
              <i />
            </span>
            <span>
              {label}
              <span className="me-hint">{hint}</span>
            </span>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  )
}

function Problems({ problems, onProblem }: Pick<Props, 'problems' | 'onProblem'>) {
  if (problems.length === 0) return null
  return (
    <section className="notice tone-warn" aria-label="Problems">
      <IconAlertTriangle size={18} aria-hidden />
      <div className="notice-text">
        <Title order={3}>Before you send it</Title>
        <ul className="me-problems">
          {problems.map((problem) => (
            <li key={`${problem.blockId} ${problem.text}`}>
              {problem.blockId === null ? (
                <Text span inherit>
                  {problem.where}: {problem.text}
                </Text>
              ) : (
                <button type="button" onClick={() => onProblem(problem)}>
                  {problem.where}: {problem.text}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
