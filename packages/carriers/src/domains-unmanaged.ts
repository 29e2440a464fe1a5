/** The credentials of an account may not manage its domains: whether it may send from one is not known. */
export class DomainsUnmanaged extends Error {}
