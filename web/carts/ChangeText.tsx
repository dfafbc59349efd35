import { Button, Collapse, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type ComponentProps, useEffect } from 'react'
import { SendText } from './SendText.tsx'

/** The words of the message, behind a button until somebody wants to change them. */
export function ChangeText(props: ComponentProps<typeof SendText>) {
  const [isEdited, edit] = useDisclosure(false)
  const isOwn = props.words.body !== null
  // Own words are seen, also those that were typed before the session ended.
  useEffect(() => {
    if (isOwn) edit.open()
  }, [isOwn, edit.open])
  const Sign = isEdited ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        aria-expanded={isEdited}
        rightSection={<Sign size={14} aria-hidden />}
        onClick={edit.toggle}
      >
        Change the text
      </Button>
      <Collapse expanded={isEdited} keepMounted={false}>
        <SendText {...props} />
      </Collapse>
    </Stack>
  )
}
