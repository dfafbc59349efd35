import { Button, type ButtonProps, Modal } from '@mantine/core'
import { IconDiscount } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useDraft } from '../../core/access/drafts.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useCanSend } from '../../kits/manual-sends/useTextAction.ts'
import { DiscountForm } from './DiscountForm.tsx'
import type { Person } from './rules.ts'

interface Props extends ButtonProps {
  /** Names the screen of the button. */
  place: string
  label: string
  /** The customer it is about; absent if none is chosen yet. */
  person?: Person
}

/** The form with the preview beside it. */
const WIDTH = 1_200

/** Opens the discount mail. Hidden from members who may not send. */
export function SendDiscountButton({ place, label, person, ...buttonProps }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [opened, setOpened] = useState(0)
  // A ref, so a key pressed right after typing sees the current text.
  const isDirty = useRef(false)
  const [isAsking, setAsking] = useState(false)
  const close = () => (isDirty.current ? setAsking(true) : setOpen(false))
  const open = () => {
    setOpened((count) => count + 1)
    setOpen(true)
  }
  // Reopens the dialog after an expired session.
  useDraft<true>(`discount-dialog:${place}`, isOpen ? true : null, open)
  if (!useCanSend()) return null
  return (
    <>
      <Button variant="default" leftSection={<IconDiscount size={16} aria-hidden />} {...buttonProps} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        // While a confirmation is open, keys belong to it.
        closeOnEscape={!isAsking}
        title="Send Discount Mail"
        size={WIDTH}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {opened > 0 && (
          <DiscountForm key={opened} place={place} person={person ?? null} dirty={isDirty} onClose={close} />
        )}
        {/* Mounted on demand: otherwise it would handle the key press that opens it. */}
        {isAsking && (
          <Confirm
            opened
            title="Close without sending?"
            confirmLabel="Leave"
            isDangerous
            onConfirm={() => {
              setAsking(false)
              setOpen(false)
            }}
            onClose={() => setAsking(false)}
          >
            Your message has not been sent.
          </Confirm>
        )}
      </Modal>
    </>
  )
}
