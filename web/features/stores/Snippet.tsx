import { Button, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  code: string
  /** Label of the copy button. */
  label: string
  /** Content beside the button. */
  children?: ReactNode
}

/** Code to paste elsewhere. */
export function Snippet({ code, label, children }: Props) {
  return (
    <>
      <pre className="snippet">{code}</pre>
      <div className="snippet-ways">
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="sm"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              <span aria-live="polite">{copied ? 'Copied' : label}</span>
            </Button>
          )}
        </CopyButton>
        {children}
      </div>
    </>
  )
}
