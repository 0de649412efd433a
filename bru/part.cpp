namespace smsim {}
