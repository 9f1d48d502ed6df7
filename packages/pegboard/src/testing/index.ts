export { describeStore, type OpenedStore, type StoreTestRunner } from "./describe-store.ts";
