import { lazy, Suspense } from 'react'
import type { MailEditorProps } from './MailEditor.tsx'

const MailEditor = lazy(async () => ({ default: (await import('./MailEditor.tsx')).MailEditor }))

/** The editor, loaded when it opens. */
export function EditMail(props: MailEditorProps) {
  return (
    <Suspense fallback={null}>
      <MailEditor {...props} />
    </Suspense>
  )
}
