import { formatMoney } from './format.ts'

/** An amount as the wire carries it (a decimal number and its currency). */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="tabular">{formatMoney(amount, currency)}</span>
}
