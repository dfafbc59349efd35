import { Modal } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { useStore } from '../../core/access/queries.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { CampaignForm } from './CampaignForm.tsx'
import type { Draft } from './rules.ts'

const WIDTH = 860

interface Props {
  isOpen: boolean
  /** Draft key of unsaved input: `new`, or the copied campaign. */
  name: string
  /** Initial values, applied at each opening. */
  start: () => Draft
  onClose: () => void
  /** `isSent`: the campaign was sent immediately. */
  onCreated: (campaign: CampaignView, isSent: boolean) => void
}

/** B 2: 'Create New Campaign'. Escape or a click outside does not lose the input. */
export function CampaignDialog({ isOpen, name, start, onClose, onCreated }: Props) {
  const [opened, setOpened] = useState({ isOpen: false, turn: 0 })
  const [isDirty, setDirty] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  if (isOpen !== opened.isOpen) {
    setOpened({ isOpen, turn: opened.turn + (isOpen ? 1 : 0) })
    setDirty(false)
    setLeaving(false)
  }
  const [isAsking, setAsking] = useState(false)
  const isDiscarded = useRef(false)
  useEffect(() => {
    if (isOpen) isDiscarded.current = false
  }, [isOpen])
  const storeId = useStore()?.id
  const close = () => (isDirty ? setLeaving(true) : onClose())
  return (
    <>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Create New Campaign"
        size={WIDTH}
        closeOnClickOutside={!isDirty}
        closeOnEscape={!isLeaving && !isAsking}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && (
          <CampaignForm
            key={opened.turn}
            place={`campaign:${storeId}:${name}`}
            start={start}
            isDiscarded={isDiscarded}
            onDirty={setDirty}
            onAsking={setAsking}
            onCancel={close}
            onCreated={(campaign, isSent) => {
              onClose()
              onCreated(campaign, isSent)
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={isOpen && isLeaving}
        title="Discard this campaign?"
        confirmLabel="Discard"
        isDangerous
        onConfirm={() => {
          isDiscarded.current = true
          onClose()
        }}
        onClose={() => setLeaving(false)}
      >
        It has not been created yet.
      </Confirm>
    </>
  )
}
