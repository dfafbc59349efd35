import { Button, type ButtonProps, Modal } from '@mantine/core'
import { IconDiscount } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useDraft } from '../access/drafts.ts'
import { useMaySend } from '../carts/useTextAction.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { DiscountForm } from './DiscountForm.tsx'
import type { Person } from './rules.ts'

interface Props extends ButtonProps {
  /** Names the screen the button stands on. */
  place: string
  label: string
  /** Whom it is about; left out: nobody is chosen yet. */
  person?: Person
}

/** The form with the preview beside it. */
const WIDTH = 1_200

/** Opens the discount mail. Whoever may not send has no button. */
export function SendDiscountButton({ place, label, person, ...look }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [opened, setOpened] = useState(0)
  // Known to a key that is pressed right after the last word.
  const isDirty = useRef(false)
  const [isAsking, setAsking] = useState(false)
  const close = () => (isDirty.current ? setAsking(true) : setOpen(false))
  const open = () => {
    setOpened((count) => count + 1)
    setOpen(true)
  }
  // What somebody was about to send is open again once they have signed in again.
  useDraft<true>(`discount-dialog:${place}`, isOpen ? true : null, open)
  if (!useMaySend()) return null
  return (
    <>
      <Button variant="default" leftSection={<IconDiscount size={16} aria-hidden />} {...look} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        // A key belongs to the question that stands above it.
        closeOnEscape={!isAsking}
        title="Send Discount Mail"
        size={WIDTH}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {opened > 0 && (
          <DiscountForm key={opened} place={place} person={person ?? null} dirty={isDirty} onClose={close} />
        )}
        {/* Not there before: it would take the key that asks for it as its own. */}
        {isAsking && (
          <Confirm
            opened
            title="Leave without sending?"
            confirmLabel="Leave"
            isDangerous
            onConfirm={() => {
              setAsking(false)
              setOpen(false)
            }}
            onClose={() => setAsking(false)}
          >
            What you have written has not been sent.
          </Confirm>
        )}
      </Modal>
    </>
  )
}
