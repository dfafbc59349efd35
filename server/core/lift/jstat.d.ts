// The part of jstat that Recoup uses; the package has no types.
declare module 'jstat' {
  const jstat: {
    jStat: {
      normal: {
        inv(probability: number, mean: number, deviation: number): number
        cdf(value: number, mean: number, deviation: number): number
      }
      studentt: { inv(probability: number, degrees: number): number }
      gammaln(value: number): number
    }
  }
  export default jstat
}
