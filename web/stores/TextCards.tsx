import './texts.css'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { BudgetCard } from './BudgetCard.tsx'
import { SmsCard } from './SmsCard.tsx'
import { useTextChannels } from './text-queries.ts'
import { WhatsappCard } from './WhatsappCard.tsx'

/** Set-up of SMS or WhatsApp, and the budget of both. */
export function TextCards({ channel }: { channel: 'sms' | 'whatsapp' }) {
  const channels = useTextChannels()
  if (channels.isPending) return <LoadingCards count={2} rows={5} />
  if (channels.error && !channels.data) {
    return (
      <Failed title="SMS and WhatsApp could not be loaded" error={channels.error} onRetry={() => channels.refetch()} />
    )
  }
  return (
    <>
      {channel === 'sms' ? <SmsCard view={channels.data.sms} /> : <WhatsappCard view={channels.data.whatsapp} />}
      <BudgetCard />
    </>
  )
}
