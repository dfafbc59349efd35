import { Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Notice } from '../ui/Notice.tsx'
import { saveText } from '../ui/saveText.ts'

/** Shown once: the server stores only hashes of the codes. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap="md">
      <h3 className="step-heading" ref={heading} tabIndex={-1}>
        Your recovery codes
      </h3>
      <Notice tone="warn">
        Keep these codes where you find them without your phone. They are shown only now. Each signs you in once in
        place of a code of the app.
      </Notice>
      <ol className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group gap="sm">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              <span aria-live="polite">{copied ? 'Copied' : 'Copy codes'}</span>
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveText('recoup-recovery-codes.txt', text)}
        >
          Save as a file
        </Button>
        <Button onClick={onDone}>I have kept them</Button>
      </Group>
      <Text fz="xs" c="dimmed">
        Without phone and codes, only whoever runs this server can let you in again.
      </Text>
    </Stack>
  )
}
